#if canImport(Glibc)
import Dispatch
import Glibc
import LatchkeyModel

/// Polls files of a folder, for systems where inotify is not available or exhausted.
final class FolderPolling: Sendable {
    private let task: Task<Void, Never>

    /// Starts to poll; the state at this moment is the one that the first poll compares with.
    ///
    /// - Parameters:
    ///   - folder: The path of the folder; it need not exist.
    ///   - names: The names of the files.
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

    /// Stops polling; a call that is already in progress may still arrive.
    func stop() {
        task.cancel()
    }
}

/// The identity of a file's contents: inode, size, and times of modification and status change.
struct FileStamp: Equatable, Sendable {
    private let file: UInt64
    private let size: Int64
    private let times: [Int]

    /// Returns the stamps of the files that exist, by their names.
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
