import { describe } from 'vitest'
import { runSeeds } from './seeds.ts'

describe('random platforms, releases in any order, crashes, lost answers', () => runSeeds(75, 150))
