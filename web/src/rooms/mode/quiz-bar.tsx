import { useTexts } from '../../shell/texts.ts'
import { Tag } from '../../ui/tag.tsx'
import { Avatar } from '../avatar.tsx'
import { modeTexts } from '../texts.ts'
import type { StandingProps } from './standing-props.ts'
import { readQuiz } from './read-state.ts'

/** Which question it is, and who leads. */
export function QuizBar({ state, nameOf }: StandingProps) {
  const t = useTexts(modeTexts)
  const { phase, topic, round, rounds, scores, answered } = readQuiz(state)
  const leader = round > 0 && scores[0] && scores[0].points > 0 ? scores[0] : undefined
  return (
    <>
      <span className="text-sm font-medium" data-phase={phase}>
        {t.quizPhases[phase] ?? phase}
      </span>
      {topic !== undefined && <Tag>{topic}</Tag>}
      {round > 0 && (
        <span className="text-sm text-muted">
          {rounds === undefined ? t.round(round) : t.roundOf(round, rounds)}
        </span>
      )}
      {phase === 'answers' && (
        <span className="text-sm text-muted">
          {t.answered(answered, Math.max(answered, scores.length - 1))}
        </span>
      )}
      {leader && (
        <span className="min-w-0 truncate text-sm text-muted">
          🏆 <bdi>{nameOf(leader.player)}</bdi> · {leader.points}
        </span>
      )}
    </>
  )
}

/** The question that is open, the table, and what was asked before. */
export function QuizDetails({ state, agentOf, nameOf }: StandingProps) {
  const t = useTexts(modeTexts)
  const { question, questioner, scores, results } = readQuiz(state)
  return (
    <>
      {question && (
        <section aria-label={t.question} className="text-sm">
          <h3 className="font-medium">
            {t.question}
            {questioner !== undefined && (
              <bdi className="font-normal text-muted"> {t.askedBy(nameOf(questioner))}</bdi>
            )}
          </h3>
          <p className="whitespace-pre-wrap wrap-anywhere">{question.text}</p>
          {question.options.length > 0 && (
            <ol className="list-[upper-alpha] pl-6">
              {question.options.map((option) => (
                <li key={option} className="wrap-anywhere">
                  {option}
                </li>
              ))}
            </ol>
          )}
        </section>
      )}
      {scores.length > 0 && (
        <table aria-label={t.scores} className="w-full max-w-md text-sm">
          <thead className="text-left text-xs text-muted">
            <tr>
              <th className="w-12 font-normal">{t.rank}</th>
              <th className="font-normal">{t.player}</th>
              <th className="w-16 text-right font-normal">{t.points}</th>
            </tr>
          </thead>
          <tbody>
            {scores.map(({ rank, player, points }) => (
              <tr key={player} data-player={player} className="border-t border-line">
                <td>{rank}</td>
                <td>
                  <span className="flex min-w-0 items-center gap-1.5 py-0.5">
                    <Avatar agent={agentOf(player)} size="small" />
                    <bdi className="min-w-0 wrap-anywhere">{nameOf(player)}</bdi>
                  </span>
                </td>
                <td className="text-right tabular-nums">{points}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {results.length > 0 && (
        <details className="text-sm">
          <summary className="font-medium">{t.results}</summary>
          <ol className="flex flex-col gap-2 pt-1">
            {results.map((result) => (
              <li key={result.round}>
                <p className="whitespace-pre-wrap wrap-anywhere">
                  <span className="text-muted">
                    {t.round(result.round)} · <bdi>{nameOf(result.questioner)}</bdi>:{' '}
                  </span>
                  {result.question}
                </p>
                {result.answer !== undefined && (
                  <p className="wrap-anywhere">
                    <span className="text-muted">{t.solution}: </span>
                    {result.answer}
                  </p>
                )}
                <ul className="pl-4 text-muted">
                  {result.marks.map(({ player, points, reason }) => (
                    <li key={player} className="wrap-anywhere">
                      <bdi>{nameOf(player)}</bdi> +{points} · {reason}
                    </li>
                  ))}
                </ul>
              </li>
            ))}
          </ol>
        </details>
      )}
    </>
  )
}
