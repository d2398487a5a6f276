import type { ServedKindRules } from '../resources/servedkind.ts'

/** What is special about a built-in kind; the rest is as most kinds have it. */
export type SpecialRules = Partial<ServedKindRules>
