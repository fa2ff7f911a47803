import Glibc
import LatchkeyCore

/// Prints a line without buffering.
func say(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    _ = write(1, bytes, bytes.count)
}

/// An operation of the probe, parsed from an argument.
struct Operation {
    private let words: [String]

    init(_ argument: String) {
        words = argument.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
    }

    /// Performs the operation and returns its result as one line.
    func perform(on store: any SessionStore) -> String {
        do throws(SessionStoreError) {
            switch words[0] {
            case "read": return store.read().line
            case "write": return try write(text(2), basedOn: UInt64(text(1)) ?? 0, to: store)
            case "login": return try login(store)
            case "remove":
                try store.remove()
                return "removed"
            case "increment": return try increment(store)
            case "report":
                return "\(store.report.level) pending=\(store.report.isErasurePending) \(store.report.reason)"
            case "pid": return "pid \(getpid())"
            case "refresh": return refresh(store)
            default: return "no such operation"
            }
        } catch {
            return "error \(error.code.rawValue)"
        }
    }

    private func text(_ index: Int) -> String {
        index < words.count ? words[index] : ""
    }

    private func write(
        _ text: String,
        basedOn generation: UInt64,
        to store: any SessionStore
    ) throws(SessionStoreError) -> String {
        "written \(try store.write(Array(text.utf8), basedOn: generation))"
    }

    /// Writes a record, replacing any existing record.
    private func login(_ store: any SessionStore) throws(SessionStoreError) -> String {
        switch store.read() {
        case .present(_, let generation): return try write(text(1), basedOn: generation, to: store)
        case .absent: return try write(text(1), basedOn: 0, to: store)
        case .unavailable(let error): throw error
        }
    }

    /// Increments the number in the record several times, retrying after conflicts.
    private func increment(_ store: any SessionStore) throws(SessionStoreError) -> String {
        for _ in 0..<(Int(text(1)) ?? 1) {
            while true {
                guard case .present(let bytes, let generation) = store.read() else {
                    return store.read().line
                }
                let number = (Int(String(decoding: bytes, as: UTF8.self)) ?? 0) + 1
                do throws(SessionStoreError) {
                    _ = try store.write(Array("\(number)".utf8), basedOn: generation)
                    break
                } catch {
                    guard error.code == .conflict else { throw error }
                }
            }
        }
        return "incremented"
    }

    /// Holds the refresh lock until the process is killed, or reports that another process holds the lock.
    private func refresh(_ store: any SessionStore) -> String {
        guard let held = store.refreshLock?.wait(atMost: .milliseconds(Int(text(1)) ?? 0)) else {
            return "not held"
        }
        guard text(2) == "keep" else { return "held" }
        say("held")
        pause()
        held.release()
        return "released"
    }
}

extension StoredRecord {
    fileprivate var line: String {
        switch self {
        case .present(let bytes, let generation):
            "present \(generation) \(String(decoding: bytes, as: UTF8.self))"
        case .absent: "absent"
        case .unavailable(let error): "unavailable \(error.code.rawValue): \(error.message)"
        }
    }
}
