import Latchkey
import LatchkeyTestKit
import Testing
import VipasoPay
import VipasoSDK

@Suite struct `Vipaso configuration` {
    private static let refusals = [
        (TestServer.url, ""), (TestServer.url, "com.example.shop#pay"),
        ("id.example.com", "com.example.shop"),
    ]

    @Test(arguments: refusals)
    func `A configuration with an invalid app id or server is rejected`(_ server: String, _ app: String) {
        for store in [nil, MemoryStore()] {
            var configuration = VipasoConfiguration(server: server, app: app)
            configuration.store = store

            for error in [
                #expect(throws: VipasoError.self) { try VipasoClient(configuration: configuration) },
                #expect(throws: VipasoError.self) { try VipasoPayClient(configuration: configuration) },
            ] {
                guard case .configuration(let reason) = error else {
                    Issue.record("Unexpected error: \(String(describing: error))")
                    continue
                }
                #expect(reason.contains("such as"))
            }
        }
    }
}
