import { describe, expect, it } from 'vitest'
import { chosenOption, isLike, normalised, withoutLeadIn } from './compare.ts'

describe('answers compared by code', () => {
  it.each([
    ['Paris', 'paris'],
    ['  the  Moon. ', 'moon'],
    ['An apple', 'apple'],
    ['ＡＢＣ１２３', 'abc123'],
    ['“Hello, World!”', 'hello world'],
    ['北京。', '北京'],
    ['《红楼梦》', '红楼梦'],
    ['(42)', '42'],
  ])('take %j for %j', (given, meant) => {
    expect(normalised(given)).toBe(meant)
  })

  it.each([
    ['C', 'C#'],
    ['C', 'C++'],
    ['3.14', '314'],
    ['5', '-5'],
    ['a', 'the'],
    ['north', 'south'],
  ])('tell %j from %j', (one, other) => {
    expect(normalised(one)).not.toBe(normalised(other))
  })

  const options = ['Paris', 'A big city', 'London', 'the river Thames']
  it.each([
    ['C', 2],
    ['c)', 2],
    ['(C)', 2],
    ['Ｃ', 2],
    ['C. London', 2],
    ['C London', 2],
    ['选C', 2],
    ['答案是 C', 2],
    ['Option C', 2],
    ['london!', 2],
    ['River Thames', 3],
    ['a big city', 1],
    ['C. Paris', undefined],
    ['E', undefined],
    ['a small city', undefined],
    ['Can you repeat that?', undefined],
    ['不是 C', undefined],
    ['', undefined],
  ])('find the option that %j means', (given, index) => {
    expect(chosenOption(options, given)).toBe(index)
  })

  it.each([
    ["I think it's Rome", 'rome'],
    ['The answer is: Rome', 'rome'],
    ['My guess would be Rome', 'rome'],
    ['It must be Rome!', 'rome!'],
    ['答案应该是罗马', '罗马'],
    ['我觉得是罗马', '罗马'],
    ['Not Rome', 'not rome'],
    ['I think', 'i think'],
  ])('hear in %j the answer %j', (given, answer) => {
    expect(withoutLeadIn(given)).toBe(answer)
  })

  it('see likeness through a typing error, and not between other words', () => {
    expect(isLike('a garbage collector', 'Garbage colector')).toBe(true)
    expect(isLike('reference counting', 'garbage collector')).toBe(false)
    expect(isLike('x', 'y')).toBe(false)
    expect(isLike('x', 'X.')).toBe(true)
  })
})
