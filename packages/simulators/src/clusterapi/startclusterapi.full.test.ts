/** The simulated upstream does what the specification says of the real one; `test/real` compares the two. */
import { describe, it } from 'vitest'
import { type ClusterApiVersion, RELEASES } from './clusterapioptions.ts'
import { defects } from './defects.cases.ts'
import { play } from './script.cases.ts'
import { scripts } from './scripts.cases.ts'
import { simStage } from './simstage.cases.ts'
import { recorded } from './vectors.cases.ts'

for (const version of Object.keys(RELEASES) as ClusterApiVersion[]) {
  describe(`Cluster API ${version}, simulated`, () => {
    for (const script of [...scripts, ...defects, recorded].filter(
      (s) => s.versions?.includes(version) ?? true,
    ))
      it(script.name, async () => {
        const stage = await simStage(version, script.clusters, { checked: !script.unchecked })
        await stage.upstream.start()
        await play(stage, script)
        await stage.close()
      })
  })
}
