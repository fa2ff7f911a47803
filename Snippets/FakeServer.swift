// Test an app without a server, on any platform.
import Latchkey
import LatchkeyTesting

// snippet.fake
let identityServer = FakeIdentityServer()
var configuration = LatchkeyConfiguration(server: FakeIdentityServer.origin, app: "com.example.shop")
configuration.store = MemoryStore()
configuration.deviceKeys = FakeDeviceKeys()
configuration.transport = identityServer
configuration.time = VirtualTime()
let latchkey = try LatchkeyClient(configuration)

identityServer.plan("POST /a/self-service/login", .fail(.timedOut))  // the next login fails
// snippet.end

do {
    try await latchkey.signIn(phone: "+439999999999", password: "000000")
} catch {
    print(error.message)
}
