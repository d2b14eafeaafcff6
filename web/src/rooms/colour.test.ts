import { expect, it } from 'vitest'
import { colourOf, luminanceOf, palette, textOn } from './colour.ts'

const contrast = (one: string, two: string) => {
  const [dark, light] = [luminanceOf(one), luminanceOf(two)].sort((a, b) => a - b)
  return (light! + 0.05) / (dark! + 0.05)
}

it('writes on any colour so that it can be read', () => {
  const levels = ['00', '33', '5e', '77', '99', 'cc', 'ff']
  const all = levels.flatMap((red) =>
    levels.flatMap((green) => levels.map((blue) => `#${red}${green}${blue}`)),
  )
  expect(all.filter((hex) => contrast(hex, textOn(hex)) < 4.5)).toEqual([])
})

it('takes the colour of the agent, and none that is none', () => {
  expect(colourOf({ name: 'milk', color: '#AbCdEf' })).toBe('#AbCdEf')
  expect(palette).toContain(colourOf({ name: 'milk', color: 'red; background: url(x)' }))
  expect(colourOf({ name: '牛奶' })).toBe(colourOf({ name: '牛奶' }))
})
