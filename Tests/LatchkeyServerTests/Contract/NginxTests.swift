import TestProcesses
import Testing

/// Runs nginx with the configuration that `Documentation/provider.md` shows, in front of a site and of
/// `latchkey serve`.
@Suite struct `Sites behind nginx` {
    @Test func `The documented configuration only lets users with a session in`() async throws {
        let outcome = try await PythonScript("nginx_site.py").run(BuiltCommand.path)

        #expect(outcome.code == 0, "\(outcome.text)")
        #expect(outcome.output.hasSuffix("all steps passed\n"))
    }
}
