package import LatchkeyCore

#if canImport(Glibc)
import LatchkeyModel

/// Watches files of one folder by name, also while the folder does not exist or is created again.
package enum FolderWatch {
    /// How often the files are looked at where the kernel gives no notices.
    static let pollInterval = Duration.seconds(2)

    /// Starts to watch.
    ///
    /// - Parameters:
    ///   - folder: The folder; it need not exist.
    ///   - names: The names of files in it whose creation, replacement and removal count.
    ///   - onChange: Called after one change or several.
    /// - Returns: The watch; `nil` for a path that is not absolute.
    package static func start(
        on folder: String,
        names: Set<String>,
        onChange: @escaping @Sendable () -> Void
    ) -> StoreWatch? {
        start(on: folder, names: names, notices: .shared, time: SystemTime(), onChange: onChange)
    }

    /// Starts to watch by the notices of an inotify instance, or by polling when it gives none.
    ///
    /// - Parameters:
    ///   - folder: The folder; it need not exist.
    ///   - names: The names of files in it whose creation, replacement and removal count.
    ///   - notices: The inotify instance.
    ///   - time: The clock for polling.
    ///   - onChange: Called after one change or several.
    /// - Returns: The watch; `nil` for a path that is not absolute.
    static func start(
        on folder: String,
        names: Set<String>,
        notices: FolderNotices,
        time: any TimeSource,
        onChange: @escaping @Sendable () -> Void
    ) -> StoreWatch? {
        guard folder.hasPrefix("/") else { return nil }
        let watched = WatchedFolder(folder, names: names, notices: notices, onChange: onChange)
        do throws(FolderNotices.Refusal) {
            try watched.start()
            return StoreWatch { watched.stop() }
        } catch {
            watched.stop()
            let polling = FolderPolling(
                folder,
                names: names,
                every: pollInterval,
                time: time,
                onChange: onChange
            )
            let problem =
                "inotify cannot be used (\(error)), so that changes by other processes are noticed only every "
                + "\(pollInterval.components.seconds) s. The system's limits are fs.inotify.max_user_instances and "
                + "fs.inotify.max_user_watches."
            return StoreWatch(problem: problem) { polling.stop() }
        }
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
