/** Titles of ADRs, and the list that is generated from them. Fixtures have `_` for a space: the word list skips them. */
import { describe, expect, it } from 'vitest'
import { adrOf, indexText, readAdrs, readIndex } from '../../scripts/generate-adrs.js'
import verbs from './adrverbs.json' with { type: 'json' }

const MOST = 80

/** Words that end the main clause as far as an active verb goes: openers of subordinate clauses, and forms of "be". */
const ENDS = new Set(
  `after as because before how if once since that until what when where whether which while who whose why
   are be been is was were`.split(/\s+/),
)

/** Words before a noun: "the record" has no verb. */
const BEFORE_NOUNS = new Set(
  'a an all at by each every for from in its of on one the their to with'.split(' '),
)

const known = new Set(verbs)
const wordsOf = (title: string): string[] => title.split(' ').map((word) => word.replace(/[,;:.]$/, ''))

/** The verb of the main clause. The word before it is its subject, so the first word is never the verb. */
function verbOf(title: string): string | undefined {
  const words = wordsOf(title)
  const lower = words.map((word) => word.toLowerCase())
  const end = lower.findIndex((word) => ENDS.has(word))
  const isVerb = (word: string, i: number) =>
    i > 0 && known.has(word) && !BEFORE_NOUNS.has(lower[i - 1] ?? '')
  return words.slice(0, end < 0 ? words.length : end).find(isVerb)
}

/** Whether the words of the slug are words of the title, in their order. */
function follows(slug: string, title: string): boolean {
  const words: readonly string[] = title.toLowerCase().match(/[a-z0-9]+/g) ?? []
  let from = 0
  return slug.split('-').every((word) => {
    from = words.indexOf(word, from) + 1
    return from > 0
  })
}

function problems({ slug, title }: { readonly slug: string; readonly title: string }): string[] {
  const found: string[] = []
  if (verbOf(title) === undefined) found.push('no verb in the present; see test/words/adrverbs.json')
  if (title.length > MOST) found.push(`${title.length} characters, the limit is ${MOST}`)
  if (title.endsWith('.')) found.push('no period at the end')
  if (!follows(slug, title)) found.push(`the file name "${slug}" does not follow it`)
  return found
}

const adrs = readAdrs()
const spaced = (text: string): string => text.replaceAll('_', ' ')

describe('titles of ADRs', () => {
  it.each(adrs)('$number: $title', (adr) => {
    expect(problems(adr)).toEqual([])
  })

  it('use each verb of the list', () => {
    const used = new Set(adrs.map(({ title }) => verbOf(title)))
    expect(verbs.filter((verb) => !used.has(verb))).toEqual([])
    expect(verbs).toEqual([...known].sort())
  })

  it.each([
    'CEL',
    'Libraries',
    'How_long_it_is_still_is_said_by_who_looks',
    'How_long_a_pause_lasts_and_who_reads_it',
    'Removal_is_said_in_the_record',
    'A_base_that_changes',
    'One_read_a_minute_of_a_repository_that_changes',
    'Reads_of_sources',
    'The_record_of_each_request',
    'Sources_are_read_because_events_trigger_nothing',
    'Charts_are_rendered_once',
  ])('have no verb as in %s', (title) => {
    expect(verbOf(spaced(title))).toBeUndefined()
  })

  it.each([
    ['Readers compute remaining durations', 'compute'],
    ['A rollback needs no Approval', 'needs'],
    ['Removals count together, and each allowance applies once', 'count'],
  ])('have a verb as in %s', (title, verb) => {
    expect(verbOf(title)).toBe(verb)
  })

  it('are short, and lead to the file name', () => {
    const title = 'Readers compute remaining durations'
    expect(problems({ slug: 'readers-compute-durations', title })).toEqual([])
    expect(problems({ slug: 'durations', title: `${title}.` })).toEqual(['no period at the end'])
    expect(problems({ slug: 'durations-compute', title })).toHaveLength(1)
    expect(problems({ slug: 'readers', title: title.padEnd(81, 's') })).toHaveLength(1)
  })
})

describe('the list of ADRs', () => {
  const file = (name: string, title: string) => adrOf({ name, text: `# ${title}\n\n## Context\n` })

  it('is current: npm run generate', () => {
    expect(readIndex()).toBe(indexText(adrs))
  })

  it('has numbers, titles and gaps, in order', () => {
    const lines = indexText([file('0003-c.md', '0003: C'), file('0001-a.md', '0001: A')]).split('\n')
    expect(lines.slice(3)).toEqual([
      'Numbers without an ADR: 0002.',
      '',
      '| Number | Decision |',
      '|---|---|',
      '| [0001](0001-a.md) | A |',
      '| [0003](0003-c.md) | C |',
      '',
    ])
  })

  it('refuses a name, a heading and a number that are wrong', () => {
    expect(() => file('1-a.md', '0001: A')).toThrow('NNNN-short-slug.md')
    expect(() => file('0001-a.md', '0002: A')).toThrow('begin with "# 0001: Title"')
    expect(() => file('0001-a.md', '0001: ')).toThrow('begin with')
    expect(() => indexText([file('0001-a.md', '0001: A'), file('0001-b.md', '0001: B')])).toThrow('taken')
  })
})
