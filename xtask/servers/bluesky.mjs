// Bluesky's own servers from npm, on loopback, for end-to-end tests.
//
//   MODE=pds      directory of identities (PLC) and one personal data server (PDS); needs nothing else
//   MODE=network  all of it, with the AppView; needs POSTGRES_URL and REDIS_HOST
//
// FRESHET_TEST_BLUESKY names the folder that holds node_modules; ports come as PLC_PORT, PDS_PORT and
// APPVIEW_PORT; RATE_LIMITS=off takes the limits of the PDS away. It prints one line of JSON when it is ready. It ends with its standard input, so that it cannot outlive the
// test that started it, however that test ends.
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const { env } = process
const entry = join(env.FRESHET_TEST_BLUESKY, 'node_modules/@atproto/dev-env/dist/index.js')
const { TestNetwork, TestNetworkNoAppView } = await import(pathToFileURL(entry).href)

const plc = { port: Number(env.PLC_PORT) }
const pds = { port: Number(env.PDS_PORT), hostname: 'localhost', rateLimitsEnabled: env.RATE_LIMITS !== 'off' }
const appview = Number(env.APPVIEW_PORT)

const network =
  env.MODE === 'network'
    ? await TestNetwork.create({
        dbPostgresUrl: env.POSTGRES_URL,
        dbPostgresSchema: 'freshet',
        plc,
        pds: { ...pds, enableDidDocWithSession: true },
        bsky: { port: appview, publicUrl: `http://localhost:${appview}` },
      })
    : await TestNetworkNoAppView.create({ plc, pds })

console.log(JSON.stringify({ ready: true }))

const stop = async () => {
  try {
    await network.close()
  } finally {
    process.exit(0)
  }
}
process.on('SIGTERM', stop)
process.stdin.on('end', stop).on('close', stop).resume()
