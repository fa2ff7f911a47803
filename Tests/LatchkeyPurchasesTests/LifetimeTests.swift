import Latchkey
import LatchkeyPurchases
import LatchkeyTestKit
import TestStore
import Testing

@Suite struct `Lifetimes of purchases` {
    @Test func `Purchases that are released leave no observers on the client`() async throws {
        let app = try StoreApp(await TestServer.withStore())

        for _ in 0..<100 { _ = Purchases(app.client) }

        // The last released observer's entry is removed when the next observer is added.
        #expect(app.client.engine.keeper.observerCount <= 2)
        await app.server.stop()
    }
}
