import { describe, expect, it } from 'vitest'
import { inAttribute, promptTags, sealed } from './prompt-tags.ts'

describe('text of others', () => {
  it.each(promptTags)('neither begins nor ends <%s>', (tag) => {
    const forms = [
      `<${tag}>`,
      `</${tag}>`,
      `<${tag} from="x">`,
      `<${tag}/>`,
      `</${tag.toUpperCase()}\n>`,
      `</${tag}`,
    ]
    for (const form of forms) {
      expect(sealed(form)).toBe(`< ${form.slice(1)}`)
      expect(sealed(`a${form} b`)).not.toContain(`a${form}`)
    }
  })

  it('is left alone where it only looks like it', () => {
    const code =
      'if (a <b) <Context.Provider value={x}> <file-list> <rulesets> <a href="/"> </div> <x:result> List<Rule> < rules>'
    expect(sealed(code)).toBe(code)
  })

  it('is the same when it is sealed twice, and keeps what it is made of', () => {
    const text = '<rules from="a">\nx </context> <memories>\n</rules>'
    expect(sealed(sealed(text))).toBe(sealed(text))
    expect(sealed(text, ['rules'])).toBe('<rules from="a">\nx < /context> < memories>\n</rules>')
  })

  it('ends no attribute', () => {
    expect(inAttribute('a"> <rules>\nx')).toBe('a   rules x')
  })
})
