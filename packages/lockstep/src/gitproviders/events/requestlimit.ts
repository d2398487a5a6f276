/** So many in a while, for each of many: what is beyond that is told how long to wait. */

export interface RequestLimitRule {
  readonly most: number
  readonly withinMs: number
}

/** Callers that are remembered: beyond that the one that was quiet for longest is forgotten. */
const MOST_CALLERS = 10_000

export class RequestLimit {
  private readonly rule: RequestLimitRule
  /** Times of what was let in, the oldest first; by caller, who was there last at the end. */
  private readonly calls = new Map<string, number[]>()

  constructor(rule: RequestLimitRule) {
    this.rule = rule
  }

  /** 0: it may. Else: milliseconds until another one may. What is refused does not count. */
  take(caller: string, nowMs: number): number {
    const { most, withinMs } = this.rule
    const recent = (this.calls.get(caller) ?? []).filter((at) => at > nowMs - withinMs)
    this.calls.delete(caller)
    this.calls.set(caller, recent)
    if (recent.length >= most) return Math.max(1, recent[0]! + withinMs - nowMs)
    recent.push(nowMs)
    if (this.calls.size > MOST_CALLERS) this.calls.delete(this.calls.keys().next().value!)
    return 0
  }
}
