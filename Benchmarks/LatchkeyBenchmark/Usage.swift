import Glibc

/// What a server process has used so far, as it says itself.
struct Usage: Sendable {
    /// CPU time of the whole process, user and system, in microseconds.
    var process: Int64
    /// CPU time of the threads that hash passwords, in microseconds.
    var hashing: Int64
    /// Resident memory in KiB.
    var memory: Int64

    /// Reads the line that ``current(hashing:)`` writes.
    init?(_ line: String) {
        let numbers = line.split(separator: " ").compactMap { Int64($0) }
        guard numbers.count == 3 else { return nil }
        (process, hashing, memory) = (numbers[0], numbers[1], numbers[2])
    }

    static func current(hashing: Int64) -> String {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        let process = [usage.ru_utime, usage.ru_stime].reduce(0) {
            $0 + Int64($1.tv_sec) * 1_000_000 + Int64($1.tv_usec)
        }
        return "\(process) \(hashing) \(residentKilobytes())"
    }

    private static func residentKilobytes() -> Int64 {
        guard let file = fopen("/proc/self/statm", "r") else { return 0 }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 128)
        guard fgets(&line, 128, file) != nil else { return 0 }
        let pages =
            String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            .split(separator: " ").dropFirst().first.flatMap { Int64($0) } ?? 0
        return pages * Int64(sysconf(Int32(_SC_PAGESIZE))) / 1024
    }
}

extension [Double] {
    var median: Double {
        let sorted = sorted()
        return sorted.isEmpty ? 0 : sorted[sorted.count / 2]
    }
}
