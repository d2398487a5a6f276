import { INTERRUPTED } from './clifailure.ts'

/** Resolves at the first Ctrl-C. */
export const untilInterrupt = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })

/** Exit code of a server that was asked to stop: a Pod that a node ends with SIGTERM has not failed. */
export const stoppedCode = (signal: AbortSignal): number => (signal.reason === 'SIGTERM' ? 0 : INTERRUPTED)
