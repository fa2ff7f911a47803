// Test an app without a server, on any platform.
import Latchkey
import LatchkeyTesting

// snippet.fake
let identityServer = FakeIdentityServer()
let latchkey = try LatchkeyClient(
    server: FakeIdentityServer.origin,
    app: "com.example.shop",
    store: MemoryStore(),
    deviceKeys: FakeDeviceKeys(),
    transport: identityServer,
    time: VirtualTime()
)

identityServer.plan("POST /a/self-service/login", .fail(.timedOut))  // the next login fails
// snippet.end

do {
    try await latchkey.signIn(phone: "+439999999999", password: "000000")
} catch {
    print(error.message)
}
