import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** What takes minutes. Begun last, one worker would be busy with it alone; in a fresh clone nobody has measured yet. */
const LONGEST = [
  'test/simulation/random.test.ts',
  'test/integration/fleet.test.ts',
  'test/e2e/examples.test.ts',
  'test/e2e/firstrun.test.ts',
  'test/e2e/',
  'test/integration/',
  'test/fleet/',
]

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const found = LONGEST.findIndex((name) => moduleId.includes(name))
      return found < 0 ? LONGEST.length : found
    }
    return [...(await super.sort(files))].sort((a, b) => rank(a) - rank(b))
  }
}
