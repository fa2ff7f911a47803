import Foundation
import Latchkey
import LatchkeyTestKit
import OnsideKit
import TestProcesses
import TestStore
import Testing

@MainActor @Suite(.onBothRoutes, .exclusiveOnside) struct `Languages in OnsideKit` {
    private static let probe = URL(fileURLWithPath: CommandLine.arguments[0])
        .resolvingSymlinksInPath().deletingLastPathComponent().appendingPathComponent("OnsideProbe").path

    @Test(
        .timeLimit(.minutes(10)),
        arguments: [
            ("nb_NO.UTF-8", "nb_NO", "Vil du betale "), ("fi_FI", "fi_NO", "Maksetaanko "),
            ("C", "en_NO", "Pay "),
        ]
    )
    func `Prices and terminal screens use the languages of the environment`(
        _ locale: String,
        _ identifier: String,
        _ question: String
    ) async throws {
        let outcome = try await ChildProcess.run(
            [Self.probe, "languages"],
            environment: ["HOME": "/nonexistent", "PATH": "/usr/bin:/bin", "LANG": locale]
        )

        let lines = outcome.output.split(separator: "\n")
        #expect(outcome.code == 0 && lines.count == 2, "\(outcome.text)")
        #expect(lines.first?.hasPrefix(identifier) == true)
        #expect(lines.last?.hasPrefix(question) == true)
    }

    @Test func `A login on the terminal uses the languages that OnsideKit was initialized with`() async throws
    {
        let server = try await TestServer.withStore()
        let app = try OnsideApp(server, languages: ["sv-FI", "en"])
        let terminal = ScriptedTerminal()
        let presenter = OnsideTerminalPresenter(terminal: terminal)
        var configuration = app.configuration
        configuration.presenter = presenter
        try Onside.initialize(configuration: configuration)

        #expect(await answer { Onside.requestLogin(completion: $0) }.error == .loginDiscarded)

        #expect(Onside.client?.flows.languages == ["sv-FI", "en"])
        let title = OnsideRoute.current == .inSDK ? "Logga in (" : "Fortsätt i Onside."
        #expect(terminal.transcript.contains { $0.hasPrefix(title) })
        await server.stop()
    }
}
