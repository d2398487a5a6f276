export function problemsOf(
  reasons: readonly string[],
  seen: ReadonlySet<string>,
  excused: readonly { readonly reason: string; readonly not: readonly string[]; readonly because: string }[],
): string[]
