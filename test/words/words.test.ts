/** The word list, the baseline and the check of commit messages. Fixtures have `_` for a space: the list skips them. */
import { describe, expect, it } from 'vitest'
import { commitProblems } from '../../scripts/commits.js'
import {
  baselineText,
  countsOf,
  isScanned,
  lowered,
  moved,
  movedPaths,
  type Rule,
  report,
  type Surface,
  scan,
  summaryOf,
} from '../../scripts/words.js'
import table from '../../scripts/words.json' with { type: 'json' }

/** A banned word for strings with a space. */
const WORD = 'nobody'

const rules = table as unknown as Readonly<Record<string, Rule>>
const spaced = (text: string): string => text.replaceAll('_', ' ')

/** Rule, texts that fail, and a text that passes. */
const FIXTURES: readonly (readonly [rule: string, bad: readonly string[], good: string])[] = [
  ['anew', ['pod_made_anew'], 'pod_recreated'],
  ['put-right', ['drift_was_put_right'], 'drift_reverted'],
  ['mend', ['controllers_mend_it', 'mended_objects'], 'controllers_fix_objects'],
  ['well', ['web_is_well', 'an_unwell_pod'], 'web_is_well-known_and_healthy'],
  ['in-vain', ['retried_in_vain'], 'three_retries_failed'],
  ['torn', ['connections_are_torn_down'], 'connections_closed'],
  ['see-to', ['see_to_the_cluster'], 'check_the_cluster'],
  ['nobody', ['nobody_reads', 'Whoever_reads', 'read_by_somebody', 'everybody_reads'], 'no_controller_reads'],
  ['of-others', ['objects_of_others', 'fields_are_theirs'], 'external_objects'],
  ['so-many', ['after_so_long', 'retried_so_often', 'in_so_many_clusters'], 'after_8_hours'],
  ['goes-on', ['deploying_goes_on', 'clusters_go_back'], 'deployments_continue'],
  ['led', ['led_back_to_a', 'was_led_elsewhere'], 'rolled_back_to_a'],
  ['leaves', ['hello_leaves', 'hello_is_leaving', 'hello_has_left'], 'removed_hello'],
  ['let-go', ['have_to_let_go'], 'objects_are_orphaned'],
  ['give-up', ['given_up_today', 'controllers_give_up'], 'orphaned_today'],
  ['looked-after', ['not_looked_after'], 'not_managed'],
  ['take-up', ['not_taken_up_yet', 'take_back_the_approval'], 'not_processed'],
  ['hand-on', ['handed_on_later'], 'transferred_later'],
  ['under-way', ['deployment_under_way', 'pods_on_its_way'], 'deployment_in_progress'],
  ['is-there', ['pods_are_there', 'pod_is_not_there', 'not_there_yet'], 'pod_exists'],
  ['is-to', ['hello_is_to_go', 'they_are_to_be_deleted'], 'hello_must_be_deleted'],
  ['what-is', ['print_what_is_published', 'read_what_they_publish'], 'print_the_published_revision'],
  ['comes-of', ['revision_comes_of_git'], 'revision_from_git'],
  ['all-the-same', ['deployed_all_the_same'], 'still_deployed'],
  ['besides', ['besides_the_label'], 'also_the_label'],
  ['meanwhile', ['deleted_meanwhile'], 'deleted_during_the_retry'],
  ['is-no', ['web_is_no_Module'], 'web_is_no_longer_a_Module'],
  ['look-at', ['looked_at_again', 'look_at_the_log', 'have_a_look'], 'check_the_log'],
  ['heard', ['not_heard_for_60s'], 'not_reported_for_60s'],
  ['told', ['told_by_the_hub'], 'recorded_by_the_hub'],
  ['is-said', ['the_API_says_so', 'as_is_said'], 'the_API_reports_it'],
  ['has-to', ['hello_has_to_wait'], 'hello_must_wait'],
  ['consent', ['waiting_for_consent'], 'waiting_for_approval'],
  [
    'us-spelling',
    ['two_dependants', 'recognised_by_the_hub', 'odd_behaviour', 'unauthorised_user'],
    'two_dependents',
  ],
  ['opener', ['Of_a_Pipeline', 'What_it_does', 'Set:_removed', 'so_that_it_ends'], 'Ends_as_it_is_set'],
  ['admitted', ['revision_admitted'], 'revision_deployed'],
  ['slot', ['waits_for_a_slot'], 'rollout_limit_reached'],
  ['edge', ['an_edge_in_the_graph'], 'a_dependency_in_the_graph'],
]

/** A file with the text on this surface, on line 2. */
const FILES: Readonly<Record<Surface, (text: string) => { path: string; text: string }>> = {
  strings: (text) => ({ path: 'src/a.ts', text: `const n = 1\nexport const a = \`${text}, \${n} x\`\n` }),
  comments: (text) => ({ path: 'src/a.ts', text: `/**\n * ${text.replaceAll(' ', '\n * ')}\n */\n` }),
  descriptions: (text) => ({ path: 'src/a.ts', text: `z.string()\n  .describe('${text}, as text')\n` }),
  markdown: (text) => ({ path: 'docs/a.md', text: `# Title\n${text.replaceAll(' ', '\n')}\n` }),
}

const hitsIn = (path: string, text: string) => scan([{ path, text }], rules).hits
const rulesIn = (path: string, text: string): string[] => hitsIn(path, text).map((h) => h.rule)

describe('each pattern', () => {
  it('has a fixture', () => {
    expect(FIXTURES.map(([name]) => name)).toEqual(Object.keys(rules))
  })

  it.each(FIXTURES)('%s fails on its surfaces and passes when reworded', (name, bad, good) => {
    for (const surface of rules[name]!.surfaces) {
      for (const text of bad) {
        const file = FILES[surface](spaced(text))
        const hits = scan([file], { [name]: rules[name]! }).hits
        expect(hits, `${surface}: ${text}`).toHaveLength(1)
        expect(hits[0]).toMatchObject({ path: file.path, rule: name, use: rules[name]!.use })
      }
      expect(scan([FILES[surface](spaced(good))], rules).hits, `${surface}: ${good}`).toEqual([])
    }
  })
})

describe('surfaces', () => {
  const bad = spaced('nobody_reads')

  it('are strings with a space, at their line', () => {
    const text = `const a = '${WORD}'\nconst b = /'/.test(a) ? a : \`x \${{ a: \`${bad}\` }.a} \n ${bad}\`\n`
    expect(hitsIn('src/a.ts', text).map((h) => [h.line, h.hit])).toEqual([
      [2, 'nobody'],
      [3, 'nobody'],
    ])
  })

  it('are not code in pages and comments', () => {
    const page = ['---', `a: ${bad}`, '---', `\`${bad}\` [a](${bad.replace(' ', '-')}.md)`, '', `    ${bad}`]
    expect(hitsIn('docs/a.md', [...page, '', '```text', bad, '```', '| a |', '|---|'].join('\n'))).toEqual([])
    expect(hitsIn('docs/a.md', `| a |\n|---|\n| ${bad} |\n`)).toMatchObject([{ line: 3 }])
    expect(hitsIn('src/a.ts', `// \`${bad}\`: a field.\n`)).toEqual([])
  })

  it('have an opener only where a comment begins', () => {
    const second = `// Deletes the file.\n// ${spaced('It_is_empty')}.\n`
    expect(hitsIn('src/a.ts', second)).toEqual([])
    expect(rulesIn('src/a.ts', `const a = 1 // one\n${second.slice(24)}`)).toEqual([])
    expect(rulesIn('src/a.ts', `f() // one\n// ${spaced('It_is_empty')}.\n`)).toEqual(['opener'])
    expect(rulesIn('src/a.ts', `f('${spaced('It_is_empty')}')\n`)).toEqual([])
  })

  it('are in sources and pages, not in generated files', () => {
    const scanned = [
      'src/a.ts',
      'packages/x/src/a.ts',
      'bin/a.js',
      'README.md',
      'docs/how-to/a.md',
      'test/a.ts',
    ]
    expect(scanned.filter((path) => !isScanned(path))).toEqual([])
    expect(['src/a.generated.ts', 'crds/a.yaml', 'src/a.json'].filter(isScanned)).toEqual([])
  })
})

describe('allow', () => {
  const file = { path: 'src/a.ts', text: `// The user ${spaced('nobody_exists')}.\n` }
  const withAllow = (entry: { text: string; reason?: string; path?: string }) =>
    scan([file], { nobody: { ...rules.nobody!, allow: [{ path: 'src/a.ts', ...entry }] } })

  it('exempts a text of a file', () => {
    const found = withAllow({ text: spaced('user_nobody'), reason: 'a user of Linux' })
    expect(found).toMatchObject({ hits: [], allowProblems: [] })
  })

  it('fails without a reason, or when it matches nothing', () => {
    expect(withAllow({ text: 'nobody', reason: ' ' }).allowProblems).toEqual([
      `scripts/words.json: ${WORD}: allow "${WORD}" in src/a.ts: add a reason`,
    ])
    for (const entry of [{ text: spaced('user_root') }, { text: 'nobody', path: 'src/b.ts' }]) {
      const { hits, allowProblems } = withAllow({ ...entry, reason: 'a user of Linux' })
      expect(hits).toHaveLength(1)
      expect(allowProblems).toHaveLength(1)
      expect(allowProblems[0]).toContain('matches nothing')
    }
  })
})

describe('readability', () => {
  const sentence = (words: number): string => `${Array(words).fill('Word').join(' ')}.`
  const page = (...lines: string[]) => rulesIn('docs/a.md', lines.join('\n\n'))

  it('counts long sentences above their share, the median and long cells', () => {
    const short = Array.from({ length: 20 }, () => sentence(10))
    expect(page(sentence(26), ...short)).toEqual([])
    expect(page(sentence(26), sentence(26), ...short)).toEqual(['long-sentence'])
    expect(page(sentence(16), sentence(25), sentence(25))).toEqual(['median-sentence'])
    expect(page(`| a |\n|---|\n| ${sentence(21)} |`)).toEqual(['long-cell'])
    expect(page(`${sentence(16)} ${sentence(16)}`, `- ${sentence(16)}\n- ${sentence(16)}`)).toEqual([])
    expect(page(`${sentence(24).slice(0, -1)} \`a b c d e\`.`, ...short)).toEqual([])
  })

  it('reads help, and no bodies of ADRs', () => {
    const help = `export const a = { detail: '${sentence(26)}' }\n`
    expect(rulesIn('src/cli/commands/a.ts', help)).toEqual(['long-sentence', 'median-sentence'])
    expect(rulesIn('src/core/a.ts', help)).toEqual([])
    expect(rulesIn('docs/adr/0001-a.md', sentence(26))).toEqual([])
  })
})

describe('baseline', () => {
  const text = `// A. ${spaced('nobody_or_nobody')}\n`
  const { hits, ruleNames } = scan([{ path: 'src/a.ts', text }], rules)
  const of = (n: number) => ({ rules: ['anew', 'nobody'], files: { 'src/a.ts': { nobody: n } } })

  it('allows its counts, and prints each hit of a file above them', () => {
    expect(report(hits, of(2))).toEqual({ above: [], below: [] })
    expect(report(hits, { rules: [], files: {} }).above).toEqual([
      `src/a.ts:1 "${WORD}": name the subject`,
      `src/a.ts:1 "${WORD}": name the subject`,
    ])
    expect(report(hits, of(1)).above[0]).toContain(`[2 of ${WORD} in this file, 1 allowed]`)
    expect(report(hits, of(3)).below).toEqual([`src/a.ts: baseline of ${WORD} is 3, today 2`])
  })

  it('only falls, except for a rule it has not listed', () => {
    const counts = countsOf(hits)
    expect(lowered(counts, of(3), ruleNames).baseline?.files).toEqual(of(2).files)
    expect(lowered(counts, of(1), ruleNames)).toEqual({
      raised: [{ path: 'src/a.ts', rule: 'nobody', count: 2, allowed: 1 }],
    })
    expect(lowered(counts, { rules: ['anew'], files: {} }, ruleNames).baseline?.files).toEqual(of(2).files)
  })

  it('moves with files, and sums what meets', () => {
    const before = { rules: [], files: { a: { anew: 1, mend: 2 }, b: { anew: 3 }, c: { mend: 4 } } }
    expect(moved(before, { a: 'b', b: 'c', c: 'd', x: 'y' }).files).toEqual({
      b: { anew: 1, mend: 2 },
      c: { anew: 3 },
      d: { mend: 4 },
    })
    expect(moved(before, { a: 'b' }).files).toEqual({ b: { anew: 4, mend: 2 }, c: { mend: 4 } })
    expect(movedPaths('{ "path": "a", "text": "a" }', { a: 'b' })).toBe('{ "path": "b", "text": "a" }')
  })

  it('is JSON', () => {
    expect(JSON.parse(baselineText(of(2)))).toEqual(of(2))
    expect(JSON.parse(baselineText({ rules: [], files: {} }))).toEqual({ rules: [], files: {} })
  })

  it('sums by rule and surface', () => {
    const tests = hits.map((h) => ({ ...h, path: 'test/a.ts' }))
    expect(summaryOf([...hits, ...tests])).toMatchObject({
      totals: { comments: 2, tests: 2, strings: 0 },
      rules: { nobody: { comments: 2, tests: 2 } },
    })
  })
})

describe('commit messages', () => {
  const BODY = '\n\nA restart lost the label.'
  it.each([
    `fix(prune): keep ownership of recreated objects${BODY}`,
    `feat(cli): add logs${BODY}\n\nCo-authored-by: A <a@example.com>`,
    `feat(api/reasons)!: build messages from facts${BODY}`,
    `fix(core/gate): embed the release in the blocker${BODY}`,
    'refactor(fleet): move liveness to its own file',
    'test(hub): install, check and uninstall',
    'test(conformance): process cases of server-side apply',
    'docs(readme): shorten the first page',
    'docs(adr): say why readers compute durations',
    'build(scripts): check words and commit messages',
    'build(package.json): need Node 20.19',
    `docs(readme): shorten ${'a'.repeat(50)}`,
  ])('accepts %j', (message) => {
    expect(commitProblems(message)).toEqual([])
  })

  it.each([
    ['wip', 'write type(folder)'],
    ['fixup! fix(prune): keep labels', 'write type(folder)'],
    ['chore(scripts): sort lines', 'unknown type'],
    [`fix: keep labels${BODY}`, 'name the folder'],
    [`fix(): keep labels${BODY}`, 'not one folder'],
    [`fix(api, cli): keep labels${BODY}`, 'not one folder'],
    [`docs(readme): shorten ${'a'.repeat(51)}`, '73 characters'],
    [`fix(prune): keep labels; add logs${BODY}`, 'one topic'],
    ['docs(readme): Shorten the first page', 'imperative'],
    ['docs(readme): shortened the first page', 'imperative'],
    ['docs(readme): shortened, split and listed', 'imperative'],
    ['docs(readme): shortens the first page', 'imperative'],
    ['docs(readme): shorten the first page.', 'no period'],
    ['feat(cli): add logs', 'needs a body'],
    ['fix(cli): keep labels\n\nCo-authored-by: A <a@example.com>', 'needs a body'],
    ['docs(readme): shorten it\nand more', 'second line'],
  ])('refuses %j', (message, problem) => {
    expect(commitProblems(message).join('\n')).toContain(problem)
  })
})
