/** What there is to check, beside what the controller needs. */
export const CHECK_TOPICS: readonly string[] = ['flux', 'clustergroup', 'tenancy']
