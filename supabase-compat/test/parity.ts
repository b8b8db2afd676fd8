/** The page that says what is covered: a row for each method of the official client, with the scenario that proves it. */

/** Methods that this client does not have, each with its reason. */
export const LEFT_OUT: Record<string, string> = {
  'auth.registerPasskey': 'experimental',
  'auth.signInWithPasskey': 'experimental',
  'auth.signInWithWeb3': 'needs a wallet',
  'client.channel': 'realtime',
  'client.getChannels': 'realtime',
  'client.removeAllChannels': 'realtime',
  'client.removeChannel': 'realtime',
}

/** In: every method's name and the titles of the scenarios that called it. Out: the page, as Markdown. */
export function parityPage(names: string[], proofs: Map<string, Set<string>>): string {
  const rows = names.map((name) => {
    const [first, ...others] = proofs.get(name) ?? []
    if (name in LEFT_OUT) return `| \`${name}\` | no | left out: ${LEFT_OUT[name]} |`
    return `| \`${name}\` | ${first ? 'yes' : '**unproven**'} | ${first ?? ''}${others.length ? ` (and ${others.length} more)` : ''} |`
  })
  return `# Parity with @supabase/supabase-js

Written by \`npm run parity\` from the scenarios in \`test/scenarios.ts\`, each of which runs with both clients: the same
requests, byte for byte, and the same results. A method says yes only with the scenario that called it.

| Method of the official client | Covered | Proved by the scenario |
| --- | --- | --- |
${rows.join('\n')}
`
}
