import Foundation

/// The resources that the PostgreSQL processes on this machine have used so far.
enum PostgresUsage {
    /// The CPU time of the PostgreSQL processes (user and system) in microseconds.
    ///
    /// Processes that have already ended are included, because their parent process counts their time.
    static var current: Int64 {
        guard ProcessInfo.processInfo.environment["BENCH_DATABASE"] != nil else { return 0 }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        let ticks = names.reduce(Int64(0)) { sum, name in
            guard
                let stat = try? String(contentsOfFile: "/proc/\(name)/stat", encoding: .utf8),
                stat.contains("(postgres)"), let end = stat.lastIndex(of: ")")
            else { return sum }
            // The array starts with the third field, and the times are fields 14 to 17.
            let fields = stat[end...].dropFirst(2).split(separator: " ")
            return sum + fields[11..<15].reduce(0) { $0 + (Int64($1) ?? 0) }
        }
        return ticks * 1_000_000 / Int64(sysconf(Int32(_SC_CLK_TCK)))
    }
}
