import Foundation

/// The resources that a server process has used so far, as reported by the process itself.
struct Usage: Sendable {
    /// The CPU time of the whole process (user and system) in microseconds.
    var process: Int64
    /// The CPU time of the threads that hash passwords, in microseconds.
    var hashing: Int64
    /// The resident memory in KiB.
    ///
    /// The database's memory-mapped pages are not included because they are part of the system's file cache.
    var memory: Int64

    /// Parses the line that ``current(hashing:)`` writes.
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
        // We read to the end of the file because the size that the system reports is not reliable.
        guard let bytes = try? FileHandle(forReadingFrom: URL(filePath: "/proc/self/smaps")).readToEnd()
        else {
            return 0
        }
        let text = String(decoding: bytes, as: UTF8.self)
        var isDatabase = false
        var sum: Int64 = 0
        for line in text.split(separator: "\n") {
            if line.hasPrefix("Rss:") {
                if !isDatabase {
                    sum += line.split(separator: " ").dropFirst().first.flatMap { Int64($0) } ?? 0
                }
            } else if let first = line.first, first.isHexDigit, first.isLowercase || first.isNumber {
                isDatabase = line.contains("latchkey.db")
            }
        }
        return sum
    }
}

extension [Double] {
    var median: Double {
        let sorted = sorted()
        return sorted.isEmpty ? 0 : sorted[sorted.count / 2]
    }
}
