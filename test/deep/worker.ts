/** Runs a range of seeds and tells its parent of each failure. */
import { randomRun } from '../simulation/run.ts'

const [from, to] = process.argv.slice(2).map(Number) as [number, number]
for (let seed = from; seed < to; seed++) {
  const { problems } = await randomRun(String(seed))
  if (problems.length > 0) process.send!(`seed ${seed}: ${problems.join('; ')}`)
}
process.exit(0)
