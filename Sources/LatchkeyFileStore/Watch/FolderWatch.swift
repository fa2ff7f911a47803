package import LatchkeyCore

#if canImport(Glibc)
import LatchkeyModel

/// Watches files in one folder by name, even if the folder does not exist yet or is recreated.
package enum FolderWatch {
    /// The polling interval for systems where inotify has reached its limits.
    static let pollInterval = Duration.seconds(2)

    /// Starts a watch with the process's inotify instance.
    ///
    /// - Parameters:
    ///   - folder: The absolute path of the folder, which does not have to exist.
    ///   - names: The names of the files to watch. Creating, replacing or removing one of these files counts
    ///     as a change.
    ///   - onChange: Called after one or more changes.
    /// - Returns: The watch, or `nil` if the path is not absolute.
    package static func start(
        on folder: String,
        names: Set<String>,
        onChange: @escaping @Sendable () -> Void
    ) -> StoreWatch? {
        start(on: folder, names: names, events: .shared, time: SystemTime(), onChange: onChange)
    }

    /// Starts a watch with an inotify instance.
    ///
    /// If inotify fails, the files are polled every 2 seconds.
    ///
    /// - Parameters:
    ///   - folder: The absolute path of the folder, which does not have to exist.
    ///   - names: The names of the files to watch. Creating, replacing or removing one of these files counts
    ///     as a change.
    ///   - events: The inotify instance to use.
    ///   - time: The clock that is used for polling.
    ///   - onChange: Called after one or more changes.
    /// - Returns: The watch, or `nil` if the path is not absolute. If the watch has to poll, its `problem`
    ///   explains why.
    static func start(
        on folder: String,
        names: Set<String>,
        events: FolderEvents,
        time: any TimeSource,
        onChange: @escaping @Sendable () -> Void
    ) -> StoreWatch? {
        guard folder.hasPrefix("/") else { return nil }
        let watched = WatchedFolder(folder, names: names, events: events, onChange: onChange)
        do throws(FolderEvents.WatchError) {
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
                "inotify is not available (\(error)), so changes by other processes are detected only every "
                + "\(pollInterval.components.seconds) s. The system's limits are fs.inotify.max_user_instances and "
                + "fs.inotify.max_user_watches."
            return StoreWatch(problem: problem) { polling.stop() }
        }
    }
}
#else
/// A placeholder for platforms without inotify.
///
/// File watching is not supported on such platforms yet.
package enum FolderWatch {
    /// Returns `nil` because this platform does not support watches.
    package static func start(
        on folder: String,
        names: Set<String>,
        onChange: @escaping @Sendable () -> Void
    ) -> StoreWatch? { nil }
}
#endif
