// node --require loopback.cjs: every listener is confined to 127.0.0.1, whatever the server asked for.
// A test must not open ports to the outside, and the packages offer no setting for it.
const { Server } = require('node:net')

const LOOPBACK = '127.0.0.1'
const isOpen = (host) => !host || host === '::' || host === '0.0.0.0'
const listen = Server.prototype.listen

Server.prototype.listen = function (first, ...rest) {
  const isPort = typeof first === 'number' || /^\d+$/.test(String(first))
  if (isPort) {
    const host = typeof rest[0] === 'string' ? rest.shift() : undefined
    return listen.call(this, Number(first), isOpen(host) ? LOOPBACK : host, ...rest)
  }
  if (first && typeof first === 'object' && first.port !== undefined) {
    return listen.call(this, { ...first, host: isOpen(first.host) ? LOOPBACK : first.host }, ...rest)
  }
  return listen.call(this, first, ...rest)
}
