/** Types of `generate-adrs.js`, for its test. */
export interface Adr {
  readonly name: string
  readonly number: string
  readonly slug: string
  readonly title: string
}

export function adrOf(file: { readonly name: string; readonly text: string }): Adr
export function indexText(adrs: readonly Adr[]): string
export function readAdrs(): Adr[]
export function readIndex(): string
