extension Bench {
    /// Whoami and flow init, each beside a floor of the same size.
    func reads() throws {
        let server = try server()
        defer { server.stop() }
        Report.line("\n" + Report.header)
        let connection = try BlockingConnection(port: server.port)
        let token = try Work.register(connection, person: 1_000_000)
        let head = "X-Session-Token: \(token)\r\n"
        let whoamiSize = try connection.exchange("GET", Work.whoamiPath, headers: head).body.count
        let flowSize = try connection.exchange("GET", Work.loginPath + "/api").body.count
        for connections in [16, 64, 1] {
            try compare("flow init", Work.flowInit, server, flowSize, connections)
            try compare("whoami", Work.whoami(token), server, whoamiSize, connections)
        }
    }

    /// Whoami by random sessions of many, as their number grows, beside a server with the first number of them.
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
        try fill(few, first)
        // The first of them is as many beside as many: how far two rows differ by themselves.
        for count in counts {
            try fill(many, count)
            let medians = try inTurns(
                16,
                Contender(name: "whoami, \(first) sessions", server: few, work: Work.whoami(among: first)),
                Contender(name: "whoami, \(count) sessions", server: many, work: Work.whoami(among: count))
            )
            guard let (their, our) = medians else { continue }
            Report.note(
                "of \(first) sessions: throughput %.2f, p99 %.2f",
                our.perSecond / their.perSecond,
                Double(our.p99) / Double(their.p99)
            )
        }
        guard Self.database == nil else { return }
        // Every session ends once, in one of the rounds.
        let share = last / Self.rounds
        if seconds * 40_000 <= Double(share) {
            try row("logout", many, 64) { Work.logout(from: $0 * share) }
        }
    }

    /// Makes sessions until there are so many, and touches them.
    private func fill(_ server: ServerProcess, _ count: Int) throws {
        guard try server.ask("fill \(count)") == "filled" else {
            throw BlockingConnection.Failure(what: "the sessions could not be made")
        }
        // The first reads of a table that was just filled pay for its pages, of which a round sees only some.
        for _ in 0..<3 * Self.rounds { _ = try take(server, 16, Work.whoami(among: count)) }
    }

    private func compare(
        _ name: String,
        _ work: @escaping Work.Unit,
        _ server: ServerProcess,
        _ size: Int,
        _ connections: Int
    ) throws {
        let floor = try ServerProcess(["floor", String(size)], core: 0)
        defer { floor.stop() }
        let medians = try inTurns(
            connections,
            Contender(name: "floor, \(size) bytes", server: floor, work: Work.get("/constant")),
            Contender(name: name, server: server, work: work)
        )
        guard let (their, our) = medians else { return }
        Report.note("of the floor: throughput %.2f", our.perSecond / their.perSecond)
    }

    /// A server and what is asked of it.
    private struct Contender {
        let name: String
        let server: ServerProcess
        let work: Work.Unit
    }

    /// Measures two servers in turns, and reports both: a slow minute of the machine is one for either.
    private func inTurns(
        _ connections: Int,
        _ one: Contender,
        _ other: Contender
    ) throws -> (Measurement, Measurement)? {
        var (first, second): ([Measurement], [Measurement]) = ([], [])
        for _ in 0..<Self.rounds {
            first.append(try take(one.server, connections, one.work))
            second.append(try take(other.server, connections, other.work))
        }
        Report.row(one.name, connections, first)
        Report.row(other.name, connections, second)
        guard let left = Measurement.median(first), let right = Measurement.median(second) else { return nil }
        return (left, right)
    }
}
