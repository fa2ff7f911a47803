import LatchkeyModel
import TestDatabases
import TestProcesses
import Testing

/// Runs scripts that use the hosted pages in headless Chromium, as users do.
@Suite(.timeLimit(.minutes(15))) struct `Pages in Chromium` {
    @Test func `The pages work without scripts and by keyboard, and axe finds no violation`() async throws {
        let folder = TemporaryFolder()
        let server = try await ServerProcess(data: folder.path + "/data", flags: Self.flags)
        // The forms of this server expire while the script waits.
        let hasty = try await ServerProcess(
            data: folder.path + "/hasty",
            flags: Self.flags + ["--flows-lifespan", "1s", "--identities-registration", "false"]
        )

        let outcome = try await PythonScript("pages_in_chromium.py")
            .run([server.url, server.adminURL, hasty.url], token: Secret(server.adminToken))

        #expect(outcome.code == 0, "\(outcome.text)")
        #expect(outcome.output.hasSuffix("all steps passed\n"))
        await server.stop()
        await hasty.stop()
    }

    @Test func `Users log in at a site through the pages, choose what it gets, or refuse`() async throws {
        let folder = TemporaryFolder()
        let data = folder.path + "/data"
        let server = try await ServerProcess(data: data, flags: Self.flags)

        let outcome = try await PythonScript("shop_in_chromium.py")
            .run([server.url, server.adminURL, data], token: Secret(server.adminToken))

        #expect(outcome.code == 0, "\(outcome.text)")
        #expect(outcome.output.hasSuffix("all steps passed\n"))
        await server.stop()
    }

    /// The flags of a server whose users can have both kinds of addresses, and all come from the same network.
    private static let flags = [
        "--identities-default-schema", "reader", "--log-level", "error",
        "--flows-return-urls", "http://app.example.com/in",
        "--limits-codes-per-phone", "1000/1m", "--limits-codes-per-address", "1000+1/1s",
        "--limits-failures-per-address", "1000/1h", "--limits-accounts-per-address", "1000/1h",
        "--limits-forms-per-address", "10000/1m",
    ]
}
