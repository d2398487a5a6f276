import { afterAll, afterEach, expect } from 'vitest'
import { forgetSurroundings, missedWakeups } from './missedwakeups.ts'

afterEach(() => expect(missedWakeups()).toEqual([]))
afterAll(forgetSurroundings)
