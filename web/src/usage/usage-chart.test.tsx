import { fireEvent, render, screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { UsageChart } from './usage-chart.tsx'
import type { Chart } from './usage-figures.ts'

const chart: Chart = {
  series: ['a/large', 'b/small'],
  bars: [
    { day: '2026-11-14', values: [300, 100] },
    { day: '2026-11-15', values: [0, 0] },
    { day: '2026-11-16', values: [200, 0] },
  ],
}

const show = () =>
  render(
    <UsageChart
      chart={chart}
      label="Tokens per day"
      toName={(name) => name.toUpperCase()}
      toText={(value) => `${value} tokens`}
    />,
  )

const rectsOf = (series: string) => [
  ...screen.getByRole('img', { name: 'Tokens per day' }).querySelectorAll(`rect[data-series="${series}"]`),
]
const sharesOf = (rect: Element | undefined) => [rect?.getAttribute('y'), rect?.getAttribute('height')]

it('stacks what was used on a day, each by its share of the scale', () => {
  show()
  // the scale ends at 400
  expect(rectsOf('a/large').map(sharesOf)).toEqual([
    ['25%', '75%'],
    ['50%', '50%'],
  ])
  expect(rectsOf('b/small').map(sharesOf)).toEqual([['0%', '25%']])
})

it('names its days, its scale and its colours', () => {
  show()
  const { textContent } = screen.getByRole('img', { name: 'Tokens per day' })
  for (const text of ['Nov 14', 'Nov 16', '0100200300400', 'A/LARGE', 'B/SMALL'])
    expect(textContent).toContain(text)
})

it('says the figures of the day that is pointed at', () => {
  show()
  fireEvent.pointerEnter(rectsOf('a/large')[0]!.parentElement!)
  screen.getByText('A/LARGE: 300 tokens')
  screen.getByText('B/SMALL: 100 tokens')
  fireEvent.pointerLeave(rectsOf('a/large')[0]!.closest('div')!)
  expect(screen.queryByText('A/LARGE: 300 tokens')).toBeNull()
})
