import { runCases } from '../../packages/kube/src/client/client.cases.ts'
import { overHttp } from '../kube/subjects.ts'
import { statusWriterCases } from './statuswriter.cases.ts'

runCases('writes of statuses, on an embedded API server', statusWriterCases, overHttp)
