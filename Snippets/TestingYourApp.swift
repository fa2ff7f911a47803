// Test an app with the real identity server running in the same process.
#if canImport(LatchkeyTestKit)  // Linux only, like the server.
import Latchkey
import LatchkeyTestKit

// snippet.world
let server = try await TestServer()
let device = TestDevice(server)
let latchkey = try device.client(app: "com.example.shop")

let sent = try await latchkey.signUp.begin(phone: "+439999999999")
let verified = try await sent.verify(server.code(for: "+439999999999"))
try await verified.finish(password: "246810", name: .init(first: "User", last: "Test"))
// snippet.end

// snippet.restart
let restarted = try device.client(app: "com.example.shop")
print(restarted.sessionState.session != nil)
// snippet.end

// snippet.faults
server.time.advance(by: .seconds(3600))
device.network.inject(.dropResponse)  // the server handles each request, but the response is lost
// snippet.end

// snippet.lock
device.store.lock()
// snippet.end

await server.stop()
#endif
