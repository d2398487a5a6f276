import { inProcess } from '../../../../test/kube/subjects.ts'
import { informerCases } from '../cache/informer.cases.ts'
import { readCases, runCases } from './client.cases.ts'
import { writeCases } from './write.cases.ts'

runCases('client, in this process', [...readCases, ...writeCases, ...informerCases], inProcess)
