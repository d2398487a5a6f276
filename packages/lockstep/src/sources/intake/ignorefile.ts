/** Which files of a tree count: Flux's defaults, then `.sourceignore` files from the root down, then the module's lines. */
import ignore, { type Ignore } from 'ignore'
import type { SourceTree } from './sourcetree.ts'

/** fluxcd/pkg sourceignore: version control, media and archives, CI, and tools' own files. */
const DEFAULTS = [
  '.git/',
  '.gitignore',
  '.gitmodules',
  '.gitattributes',
  '*.jpg',
  '*.jpeg',
  '*.gif',
  '*.png',
  '*.wmv',
  '*.flv',
  '*.tar.gz',
  '*.zip',
  '.github/',
  '.circleci/',
  '.travis.yml',
  '.gitlab-ci.yml',
  'appveyor.yml',
  '.drone.yml',
  'cloudbuild.yaml',
  'codeship-services.yml',
  'codeship-steps.yml',
  '**/.goreleaser.yml',
  '**/.sops.yaml',
  '**/.flux.yaml',
]

export const IGNORE_FILE = '.sourceignore'

/** The tree without what is ignored. The last line that matches decides, wherever it stands. */
export function withoutIgnored(tree: SourceTree, lines: string | undefined): SourceTree {
  const rules: Ignore = ignore({ allowRelativePaths: false }).add(DEFAULTS)
  const files = tree.files
    .filter((f) => baseOf(f.path) === IGNORE_FILE)
    .sort((a, b) => depthOf(a.path) - depthOf(b.path) || (a.path < b.path ? -1 : 1))
  for (const f of files)
    rules.add(rebased(new TextDecoder().decode(f.bytes), f.path.slice(0, -IGNORE_FILE.length)))
  if (lines !== undefined) rules.add(lines)
  return {
    ...tree,
    files: tree.files.filter((f) => baseOf(f.path) !== IGNORE_FILE && !rules.ignores(f.path)),
  }
}

/** The same for a chart, which has all its files, and `.helmignore` for itself: only the module's lines count. */
export function withoutLines(tree: SourceTree, lines: string | undefined): SourceTree {
  if (lines === undefined) return tree
  const rules = ignore({ allowRelativePaths: false }).add(lines)
  return { ...tree, files: tree.files.filter((f) => !rules.ignores(f.path)) }
}

const baseOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1)
const depthOf = (path: string): number => path.split('/').length

/** Lines of a file in `directory` (with its `/` at the end) as lines of the root. */
function rebased(text: string, directory: string): string[] {
  return text.split(/\r?\n/).flatMap((line) => {
    if (line.trim() === '' || line.startsWith('#')) return []
    const isNegated = line.startsWith('!')
    const pattern = isNegated ? line.slice(1) : line
    const isAnchored = pattern.slice(0, -1).includes('/')
    const path = `/${directory}${isAnchored ? pattern.replace(/^\//, '') : `**/${pattern}`}`
    return [`${isNegated ? '!' : ''}${path}`]
  })
}
