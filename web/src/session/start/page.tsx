import { useNavigate } from '@tanstack/react-router'
import { Sparkles } from 'lucide-react'
import { useRef, useState } from 'react'
import { useClient } from '../../api/api.tsx'
import { useScope } from '../../api/scope.ts'
import { setPreferences, usePreferences } from '../../shell/preferences.ts'
import type { ShellSearch } from '../../shell/shell-search.ts'
import { useTexts } from '../../shell/texts.ts'
import { Button } from '../../ui/button.tsx'
import { useMediaQuery } from '../../ui/use-media-query.ts'
import { MessageBox } from '../composer/message-box.tsx'
import { ModelPicker } from '../composer/model-picker.tsx'
import { NotSent } from '../composer/not-sent.tsx'
import { toBody, type Outgoing } from '../composer/outgoing.ts'
import { SendButton } from '../composer/send-button.tsx'
import { ThinkingToggle } from '../composer/thinking-toggle.tsx'
import { isEmpty } from '../composer/unsent.ts'
import { useOutbox } from '../composer/use-outbox.ts'
import { useUnsent } from '../composer/use-unsent.ts'
import { Guide } from './guide.tsx'
import { startTexts } from '../texts.ts'

/** A conversation that is about to begin; for those who are new here, with a guide. */
export function Page() {
  const t = useTexts(startTexts)
  const welcomed = usePreferences((preferences) => preferences.welcomed)
  const hasPointer = useMediaQuery('(pointer: fine)')
  const control = useUnsent()
  const [model, setModel] = useState<string>()
  const outbox = useOutbox(control, useBegin(model))
  return (
    <div className="h-full overflow-y-auto">
      <div className="mx-auto flex min-h-full w-full max-w-3xl flex-col justify-center gap-6 px-3 py-8">
        <h1 className="text-center text-2xl font-semibold">{t.title}</h1>
        <div>
          {outbox.error !== undefined && (
            <NotSent error={outbox.error} onRetry={() => void outbox.send('enqueue')} />
          )}
          <MessageBox
            control={control}
            takesFocus={hasPointer}
            onSubmit={() => void outbox.send('enqueue')}
            tools={
              <>
                <ModelPicker model={model} onChange={setModel} />
                <ThinkingToggle control={control} />
              </>
            }
            actions={
              <SendButton
                disabled={outbox.isSending || isEmpty(control.unsent)}
                onSend={() => void outbox.send('enqueue')}
              />
            }
          />
        </div>
        {welcomed ? (
          <Button
            variant="ghost"
            size="small"
            className="self-center text-muted"
            onClick={() => setPreferences({ welcomed: false })}
          >
            <Sparkles aria-hidden />
            {t.show}
          </Button>
        ) : (
          <Guide
            onTry={(prompt) => void outbox.send('enqueue', prompt)}
            onDismiss={() => {
              setPreferences({ welcomed: true })
              document.getElementById('composer')?.focus()
            }}
          />
        )}
      </div>
    </div>
  )
}

/** Makes the session, says the first thing in it, and goes there. What fails after the first step goes on with the same session. */
function useBegin(model: string | undefined): (message: Outgoing) => Promise<void> {
  const { sessions } = useClient()
  const scope = useScope()
  const navigate = useNavigate()
  const made = useRef<{ id: string; model?: string }>(undefined)
  return async (message) => {
    made.current ??= await sessions.create({ scope, model })
    const { id } = made.current
    if (made.current.model !== model)
      made.current = await sessions.update(id, { scope, model: model ?? null })
    await sessions.send(id, toBody(message, scope), { idempotencyKey: message.key })
    void navigate({
      to: '/sessions/$sessionId',
      params: { sessionId: id },
      search: ({ scope: same, dock }: ShellSearch) => ({ scope: same, dock }),
      state: { isTyping: true },
    })
  }
}
