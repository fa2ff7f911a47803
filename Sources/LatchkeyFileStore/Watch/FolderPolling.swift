#if canImport(Glibc)
import Dispatch
import Glibc
import LatchkeyModel

/// Polls files in a folder on systems where inotify is unavailable or has reached its limits.
final class FolderPolling: Sendable {
    private let task: Task<Void, Never>

    /// Starts polling.
    ///
    /// The first poll compares the files with their state at the time of this call.
    ///
    /// - Parameters:
    ///   - folder: The path of the folder, which does not have to exist.
    ///   - names: The names of the files to poll.
    ///   - interval: The time between two polls.
    ///   - time: The clock that measures the interval.
    ///   - onChange: Called when a file has been created, replaced, changed or removed since the previous
    ///     poll.
    init(
        _ folder: String,
        names: Set<String>,
        every interval: Duration,
        time: any TimeSource,
        onChange: @escaping @Sendable () -> Void
    ) {
        let queue = DispatchQueue(label: "latchkey.watch.polling")
        let first = FileStamp.all(names, in: folder)
        task = Task {
            var former = first
            while (try? await time.sleep(for: interval)) != nil {
                let stamps = await withCheckedContinuation { continuation in
                    queue.async { continuation.resume(returning: FileStamp.all(names, in: folder)) }
                }
                guard stamps != former else { continue }
                former = stamps
                if !Task.isCancelled { onChange() }
            }
        }
    }

    /// Stops polling.
    ///
    /// A call to `onChange` that is already in progress is not cancelled.
    func stop() {
        task.cancel()
    }
}

/// Identifies a version of a file by its inode, size, modification time and status change time.
struct FileStamp: Equatable, Sendable {
    private let file: UInt64
    private let size: Int64
    private let times: [Int]

    /// Returns the stamp of each existing file, keyed by file name.
    static func all(_ names: Set<String>, in folder: String) -> [String: FileStamp] {
        names.reduce(into: [:]) { stamps, name in
            var status = stat()
            guard lstat(folder + "/" + name, &status) == 0 else { return }
            stamps[name] = FileStamp(
                file: UInt64(status.st_ino),
                size: Int64(status.st_size),
                times: [status.st_mtim, status.st_ctim].flatMap { [$0.tv_sec, $0.tv_nsec] }
            )
        }
    }
}
#endif
