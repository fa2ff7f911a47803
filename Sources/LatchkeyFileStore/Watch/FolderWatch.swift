package import LatchkeyCore

#if canImport(Glibc)
import Dispatch
import LatchkeyModel

/// Watches files of one folder by name, also while the folder does not exist or is made anew.
///
/// One inotify descriptor and one dispatch source; nothing runs as long as nothing changes.
package enum FolderWatch {
    /// Starts to watch.
    ///
    /// - Parameters:
    ///   - folder: The folder; it need not exist.
    ///   - names: The names of files in it whose making, replacing and removing count.
    ///   - onChange: Called after one change or several.
    /// - Returns: The watch; nothing when the system gives no more descriptors.
    package static func start(
        on folder: String,
        names: Set<String>,
        onChange: @escaping @Sendable () -> Void
    ) -> StoreWatch? {
        guard let notices = FolderNotices(folder: folder, names: names) else { return nil }
        let queue = DispatchQueue(label: "latchkey.watch")
        let source = DispatchSource.makeReadSource(fileDescriptor: notices.descriptor, queue: queue)
        let state = Locked(notices)
        source.setEventHandler {
            if state.withLock({ $0.takeAll() }) { onChange() }
        }
        source.setCancelHandler {
            state.withLock { $0.close() }
        }
        source.resume()
        let running = RunningSource(source)
        return StoreWatch { running.source.cancel() }
    }
}

/// `@unchecked Sendable`: a dispatch source may be used from any thread, and only its cancellation is.
private final class RunningSource: @unchecked Sendable {
    let source: any DispatchSourceRead

    init(_ source: any DispatchSourceRead) {
        self.source = source
    }
}
#else
/// Watches nothing yet on this platform.
package enum FolderWatch {
    package static func start(
        on folder: String,
        names: Set<String>,
        onChange: @escaping @Sendable () -> Void
    ) -> StoreWatch? { nil }
}
#endif
