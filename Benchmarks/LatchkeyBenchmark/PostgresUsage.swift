import Foundation

/// The resources that PostgreSQL's processes on this machine have used so far.
enum PostgresUsage {
    /// The CPU time of PostgreSQL's processes, user and system, in microseconds.
    ///
    /// The time includes processes that have ended, whose time the parent has counted.
    static var current: Int64 {
        guard ProcessInfo.processInfo.environment["BENCH_DATABASE"] != nil else { return 0 }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        let ticks = names.reduce(Int64(0)) { sum, name in
            guard
                let stat = try? String(contentsOfFile: "/proc/\(name)/stat", encoding: .utf8),
                stat.contains("(postgres)"), let end = stat.lastIndex(of: ")")
            else { return sum }
            // The fields begin with the third one, so the times are the 14th to 17th fields.
            let fields = stat[end...].dropFirst(2).split(separator: " ")
            return sum + fields[11..<15].reduce(0) { $0 + (Int64($1) ?? 0) }
        }
        return ticks * 1_000_000 / Int64(sysconf(Int32(_SC_CLK_TCK)))
    }
}
