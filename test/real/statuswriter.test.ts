import { runCases } from '../../packages/kube/src/client/client.cases.ts'
import { statusWriterCases } from '../integration/statuswriter.cases.ts'
import { onRealServer } from './realsubject.ts'

runCases('writes of statuses, on a real API server', statusWriterCases, onRealServer)
