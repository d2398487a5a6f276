import { actorOf } from '../../../api/reasons/index.ts'

/** `What to do: …`, with the place of the reason in the reference. `advice`: undefined for a reason of a newer controller. */
export function adviceLine(reason: string, advice: string | undefined, module: string): string {
  if (advice === undefined) return `Details: lockstep get module ${module} -o yaml`
  // The page has no reasons of the kubelet.
  const page = actorOf(reason) === undefined ? '' : ` (reasons.md#${reason.toLowerCase()})`
  return `What to do: ${advice}${page}`
}
