"""warpbeam_repositories: what a workspace needs besides this repository itself."""

load("//tools/bazel:cuda_repository.bzl", "cuda_repository")
load("//tools/bazel:debian_source.bzl", "debian_sources")
load("//tools/bazel:system_packages.bzl", "system_packages")

# What Bazel itself loads, where Debian's packages put it.
_DISTRIBUTION_RULES = {
    "bazel_skylib": "/usr/share/bazel/tools/skylib",
    "platforms": "/usr/share/bazel/tools/platforms",
    "rules_java": "/usr/share/bazel/rules/java",
    "rules_proto": "/usr/share/bazel/rules/proto",
}

def _linked_folder_impl(repository_ctx):
    folder = repository_ctx.path(repository_ctx.attr._beside).dirname.get_child(repository_ctx.attr.folder)
    for entry in folder.readdir():
        repository_ctx.symlink(entry, entry.basename)

_linked_folder = repository_rule(
    implementation = _linked_folder_impl,
    attrs = {
        "folder": attr.string(mandatory = True, doc = "Its name in tools/bazel."),
        "_beside": attr.label(default = "//tools/bazel:repositories.bzl"),
    },
    local = True,
    doc = "A folder of tools/bazel as a repository of its own, wherever this repository lies.",
)

def _bazel_is_of_the_distribution():
    # A release says its number. Debian's Bazel is built from its sources and says nothing.
    return not getattr(native, "bazel_version", "")

def warpbeam_repositories():
    """Declares the repositories that targets of Warpbeam depend on. What the workspace has already stays.

    Libraries come from the distribution's packages (tools/setup installs them). Debian's Bazel downloads nothing; its
    rule sets are the distribution's packages, too.
    """
    existing = native.existing_rules()
    if _bazel_is_of_the_distribution():
        for name, path in _DISTRIBUTION_RULES.items():
            if name not in existing:
                native.local_repository(name = name, path = path)
        for name in ["rules_cc", "remote_coverage_tools"]:
            if name not in existing:
                _linked_folder(name = name, folder = name)
    system_packages()
    debian_sources()
    if "cuda" not in existing:
        cuda_repository(name = "cuda")
