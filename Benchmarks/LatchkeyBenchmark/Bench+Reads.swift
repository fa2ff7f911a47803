extension Bench {
    /// Measures whoami and flow init, and compares each with a baseline response of the same size.
    func reads() throws {
        let server = try server()
        defer { server.stop() }
        Report.line("\n" + Report.header)
        let connection = try BlockingConnection(port: server.port)
        let token = try Work.register(connection, person: 1_000_000)
        let head = "X-Session-Token: \(token)\r\n"
        let whoamiSize = try connection.exchange("GET", target: Work.whoamiPath, headers: head).body.count
        let flowSize = try connection.exchange("GET", target: Work.loginPath + "/api").body.count
        for connections in [16, 64, 1] {
            try compare("flow init", of: Work.flowInit, on: server, size: flowSize, connections: connections)
            try compare(
                "whoami",
                of: Work.whoami(token),
                on: server,
                size: whoamiSize,
                connections: connections
            )
        }
    }

    /// Measures whoami with random sessions as the number of sessions grows.
    ///
    /// Each result is compared with that of a server that only has the smallest number of sessions.
    func sessions(_ counts: [Int]) throws {
        let (few, many) = (try server(apart: true), try server())
        defer {
            few.stop()
            many.stop()
        }
        guard let first = counts.first, let last = counts.last else { return }
        Report.line("\n" + Report.header)
        for server in [few, many] {
            try Work.register(try BlockingConnection(port: server.port), person: 2_000_000)
        }
        try fill(few, to: first)
        // The first pair has equal numbers of sessions, which shows how much two rows differ by chance.
        for count in counts {
            try fill(many, to: count)
            let medians = try inTurns(
                connections: 16,
                Contender(name: "whoami, \(first) sessions", server: few, work: Work.whoami(among: first)),
                and: Contender(
                    name: "whoami, \(count) sessions",
                    server: many,
                    work: Work.whoami(among: count)
                )
            )
            guard let (their, our) = medians else { continue }
            Report.summary(
                "relative to \(first) sessions: throughput %.2f, p99 %.2f",
                values: our.perSecond / their.perSecond,
                Double(our.p99) / Double(their.p99)
            )
        }
        guard Self.database == nil else { return }
        // A session can only be logged out once, so each round uses different sessions.
        let share = last / Self.rounds
        if seconds * 40_000 <= Double(share) {
            try row("logout", on: many, connections: 64) { Work.logout(from: $0 * share) }
        }
    }

    /// Creates sessions up to the given number, and then reads them to warm up the caches.
    private func fill(_ server: ServerProcess, to count: Int) throws {
        guard try server.ask("fill \(count)") == "filled" else {
            throw BlockingConnection.Failure(what: "the sessions could not be created")
        }
        // The first reads of a new table load its pages. Each round reads only some of the pages, so we warm
        // up with several rounds.
        for _ in 0..<3 * Self.rounds {
            _ = try measure(server, connections: 16, work: Work.whoami(among: count))
        }
    }

    private func compare(
        _ name: String,
        of work: @escaping Work.Unit,
        on server: ServerProcess,
        size: Int,
        connections: Int
    ) throws {
        let floor = try ServerProcess(["floor", String(size)], core: 0)
        defer { floor.stop() }
        let medians = try inTurns(
            connections: connections,
            Contender(name: "baseline, \(size) bytes", server: floor, work: Work.get("/constant")),
            and: Contender(name: name, server: server, work: work)
        )
        guard let (their, our) = medians else { return }
        Report.summary("relative to the baseline: throughput %.2f", values: our.perSecond / their.perSecond)
    }

    /// One of the two servers in a comparison, and the scenario to run on it.
    private struct Contender {
        let name: String
        let server: ServerProcess
        let work: Work.Unit
    }

    /// Measures two servers alternately and reports the results.
    ///
    /// If the machine is temporarily slow, this affects both servers.
    private func inTurns(
        connections: Int,
        _ one: Contender,
        and other: Contender
    ) throws -> (Measurement, Measurement)? {
        var (first, second): ([Measurement], [Measurement]) = ([], [])
        for _ in 0..<Self.rounds {
            first.append(try measure(one.server, connections: connections, work: one.work))
            second.append(try measure(other.server, connections: connections, work: other.work))
        }
        Report.row(one.name, connections: connections, rounds: first)
        Report.row(other.name, connections: connections, rounds: second)
        guard let left = Measurement.median(first), let right = Measurement.median(second) else { return nil }
        return (left, right)
    }
}
