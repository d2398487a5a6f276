/** `What to do: …`, with the place of the reason in the reference. `advice`: undefined for a reason of a newer controller. */
export const adviceLine = (reason: string, advice: string | undefined, module: string): string =>
  advice === undefined
    ? `Details: lockstep get module ${module} -o yaml`
    : `What to do: ${advice} (reasons.md#${reason.toLowerCase()})`
