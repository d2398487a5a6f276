/** An example of a reason as people read it. */
interface RenderedExample {
  readonly message: string
  readonly advice: string
}

export function reasonsPage(
  reasonTable: Readonly<Record<string, object>>,
  render: (name: never, example: never) => RenderedExample,
): string
