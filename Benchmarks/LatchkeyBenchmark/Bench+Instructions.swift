import Foundation
import LatchkeyWire

extension Bench {
    /// Counts the server's instructions per request.
    ///
    /// The counts for logins and registrations include creating the flow.
    func instructions() throws {
        let data = folder.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: data, withIntermediateDirectories: true)
        let program = ProcessInfo.processInfo.environment["BENCH_SERVER"] ?? CommandLine.arguments[0]
        let server = try CountedServer(data: data, program: program)
        defer { server.stop() }
        let connection = try BlockingConnection(port: server.port)
        let token = try Work.register(connection, person: 0)
        let scenarios: [(name: String, work: Work.Unit)] = [
            ("whoami", Work.whoami(token)),
            ("flow init", Work.flowInit),
            ("login, cheapest hash", Work.login(people: 1)),
            ("registration, cheapest hash", Work.registration(run: 1)),
            ("refresh", try TokenDevices(1, over: connection, from: 1).refresh),
        ]
        Report.line("\n| scenario | server instructions |\n|---|---|")
        for scenario in scenarios {
            Report.line("| \(scenario.name) | \(try server.count(scenario.work)) |")
        }
        // The server has closed the first connection if the counting took long.
        let fresh = try BlockingConnection(port: server.port)
        // Builds from before the provider don't have its routes.
        guard try fresh.exchange("GET", target: Route.userInfo).status == 401 else { return }
        _ = try server.ask(BenchClient.command)
        for scenario in try Self.provider(over: fresh, from: 2) {
            Report.line("| \(scenario.name) | \(try server.count(scenario.work)) |")
        }
    }
}
