/** The deep tier runs these tests without sampling: its configuration sets LOCKSTEP_EVERY_WRITE. */
import './manyassignments.full.test.ts'
