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
        guard let first = counts.first else { return }
        Report.line("\n" + Report.header)
        for server in [few, many] {
            try Work.register(try BlockingConnection(port: server.port), person: 2_000_000)
        }
        try fill(few, first)
        if counts.count == 1 {
            try row("whoami, \(first) sessions", few, 16) { _ in Work.whoami(among: first) }
        }
        for count in counts.dropFirst() {
            try fill(many, count)
            var (ours, theirs): ([Measurement], [Measurement]) = ([], [])
            for _ in 0..<Self.rounds {
                theirs.append(try take(few, 16, Work.whoami(among: first)))
                ours.append(try take(many, 16, Work.whoami(among: count)))
            }
            Report.row("whoami, \(first) sessions", 16, theirs)
            Report.row("whoami, \(count) sessions", 16, ours)
            guard let our = Measurement.median(ours), let their = Measurement.median(theirs) else { continue }
            Report.note(
                "of \(first) sessions: throughput %.2f, p99 %.2f",
                our.perSecond / their.perSecond,
                Double(our.p99) / Double(their.p99)
            )
        }
        guard Self.database == nil, let last = counts.last else { return }
        // Every session ends once.
        let rounds = Self.rounds * Int(seconds) * 10_000
        if rounds <= last {
            try row("logout", many, 64) { Work.logout(from: $0 * rounds / Self.rounds) }
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
        var ours: [Measurement] = []
        var theirs: [Measurement] = []
        for _ in 0..<Self.rounds {
            theirs.append(try take(floor, connections, Work.get("/constant")))
            ours.append(try take(server, connections, work))
        }
        Report.row("floor, \(size) bytes", connections, theirs)
        Report.row(name, connections, ours)
        guard let our = Measurement.median(ours), let their = Measurement.median(theirs) else { return }
        Report.note("of the floor: throughput %.2f", our.perSecond / their.perSecond)
    }
}
