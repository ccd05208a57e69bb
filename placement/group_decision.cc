#include "placement/group_decision.h"

namespace warpbeam {
namespace {

// Followers rank as plain members where nobody in the group is anything else (two nodes that name
// each other, or a name that no node has).
bool OnlyFollowers(const ColocationGroups& groups, const ColocationGroups::Group& group) {
  if (group.anchors.node != kNoNode) return false;
  for (NodeId member : group.members) {
    if (groups.role(member) != GroupRole::kFollower) return false;
  }
  return true;
}

}  // namespace

bool GroupDecider::MergeMember(NodeId member, GroupRole role, const ColocationGroups::Group& group,
                               Merged* merged, PlacementProblems* problems) {
  const int own = request(member);
  if (own == 0 || own == merged->request) return true;
  DeviceRequests& all = state_->requests;
  const bool soft = state_->options.allow_soft_placement;
  if (!all.Compatible(own, merged->request)) {
    // Whoever only reads a variable is moved to it without a word, as in TensorFlow.
    if (role == GroupRole::kReader) return true;
    const bool may_drop = soft && role != GroupRole::kOwner;
    if (!may_drop) {
      const NodeId anchor = group.anchors.node;
      problems->Add([&] {
        return anchor != kNoNode ? messages_.AgainstPlaced(member, anchor)
                                 : messages_.Contradiction(merged->decider, member, group.members);
      });
      return false;
    }
    // Beside a placed node, or one named by "loc:@", that node's device stands.
    if (role == GroupRole::kFollower || group.anchors.node != kNoNode) return true;
    merged->contradicted = true;
  } else if (role == GroupRole::kFollower) {
    return true;
  }
  auto both = all.Merge(merged->request, own, soft);
  if (!both.ok()) {  // different jobs, replicas or tasks
    problems->Add([&] { return messages_.Contradiction(merged->decider, member, group.members); });
    return false;
  }
  const DeviceName& before = all.name(merged->request);
  const DeviceName& after = all.name(*both);
  const bool sharper = before.type != after.type || before.id != after.id;
  if (merged->decider == kNoNode || (sharper && !merged->contradicted)) merged->decider = member;
  merged->request = *both;
  return true;
}

bool GroupDecider::Merge(const ColocationGroups::Group& group, Merged* merged,
                         PlacementProblems* problems) {
  if (group.anchors.node != kNoNode) {
    const int device = state_->decisions[group.anchors.node].device;
    merged->request = state_->requests.Add(state_->devices[device]);
  }
  const bool only_followers = OnlyFollowers(groups_, group);
  for (GroupRole role :
       {GroupRole::kOwner, GroupRole::kPlain, GroupRole::kReader, GroupRole::kFollower}) {
    for (NodeId member : group.members) {
      GroupRole own = groups_.role(member);
      if (only_followers) own = GroupRole::kPlain;
      if (own == role && !MergeMember(member, role, group, merged, problems)) return false;
    }
  }
  return true;
}

std::string GroupDecider::Misfit(int request, NodeId asker, DeviceTypes types,
                                 Span<const NodeId> members) const {
  if (types == 0) {
    std::vector<DeviceTypes> each;
    for (NodeId member : members) each.push_back(this->types(member));
    return messages_.NoCommonType(members, each);
  }
  if (request == 0 || asker == kNoNode) return messages_.NoDeviceOfType(members[0]);
  if (!state_->chooser.Exists(request)) return messages_.NoSuchDevice(asker, members);
  return messages_.NoKernelThere(asker, Limiter(request, members), members);
}

NodeId GroupDecider::Limiter(int request, Span<const NodeId> members) const {
  const DeviceChoice ideal = state_->chooser.Choose(request, kEveryDeviceType);
  if (ideal.device < 0) return kNoNode;
  for (NodeId member : members) {
    if (!state_->chooser.Allows(0, types(member), ideal.device)) return member;
  }
  return kNoNode;
}

bool GroupDecider::Decide(const ColocationGroups::Group& group, std::vector<Decision>* decisions,
                          PlacementProblems* problems) {
  const NodeId anchor = group.anchors.node;
  if (group.anchors.other != kNoNode) {
    problems->Add(
        [&] { return messages_.AnchorsDiffer(group.members[0], anchor, group.anchors.other); });
    return false;
  }
  Merged merged;
  if (!Merge(group, &merged, problems)) return false;
  DeviceChoice choice;
  if (anchor != kNoNode) {
    choice.device = state_->decisions[anchor].device;
    choice.request = merged.request;
    for (NodeId member : group.members) {
      if (state_->chooser.Allows(0, types(member), choice.device)) continue;
      problems->Add([&] { return messages_.AgainstPlaced(member, anchor); });
      return false;
    }
  } else {
    choice = state_->chooser.Choose(merged.request, group.types);
    if (choice.device < 0) {
      problems->Add(
          [&] { return Misfit(merged.request, merged.decider, group.types, group.members); });
      return false;
    }
  }
  const NodeId limiter = anchor == kNoNode ? Limiter(merged.request, group.members) : kNoNode;
  for (NodeId member : group.members) {
    (*decisions)[member - first_] = Explain(member, merged, choice, limiter, anchor);
  }
  return true;
}

Decision GroupDecider::Explain(NodeId member, const Merged& merged, const DeviceChoice& choice,
                               NodeId limiter, NodeId anchor) const {
  Decision d;
  d.device = choice.device;
  const int own = request(member);
  const bool met = state_->chooser.Allows(own, kEveryDeviceType, choice.device);
  const NodeId decider = merged.decider == member ? kNoNode : merged.decider;
  const bool reader = groups_.role(member) == GroupRole::kReader;
  if (own != 0 && met && (anchor != kNoNode || decider == kNoNode || own == merged.request)) {
    d.rule = PlacementRule::kRequested;
  } else if (own != 0 && !met && choice.relaxed) {
    d.rule = PlacementRule::kSoftFallback;
    const bool exists = state_->chooser.Exists(own);
    d.cause = !exists             ? PlacementCause::kNoSuchDevice
              : limiter == member ? PlacementCause::kNoKernel
                                  : PlacementCause::kKernelsOf;
    if (exists && limiter != member) d.forced_by = limiter;
  } else if (own != 0 && !met) {
    d.rule = reader ? PlacementRule::kColocation : PlacementRule::kSoftFallback;
    d.cause = PlacementCause::kContradicts;
    d.forced_by = anchor != kNoNode ? anchor : decider;
    if (merged.contradicted) d.rule = PlacementRule::kSoftFallback;
  } else if (anchor != kNoNode) {
    d = {choice.device, anchor, PlacementRule::kColocation, PlacementCause::kPlacedEarlier};
  } else if (decider != kNoNode) {
    d = {choice.device, decider, PlacementRule::kColocation, PlacementCause::kRequestOf};
  } else if (limiter != kNoNode && limiter != member) {
    d = {choice.device, limiter, PlacementRule::kColocation, PlacementCause::kKernelsOf};
  }
  return d;
}

bool GroupDecider::DecideAlone(NodeId node, Decision* decision, PlacementProblems* problems) {
  const int own = request(node);
  const DeviceChoice choice = state_->chooser.Choose(own, types(node));
  if (choice.device < 0) {
    problems->Add([&] { return Misfit(own, node, types(node), MakeConstSpan(&node, 1)); });
    return false;
  }
  decision->device = choice.device;
  decision->forced_by = kNoNode;
  if (choice.relaxed) {
    decision->rule = PlacementRule::kSoftFallback;
    decision->cause =
        state_->chooser.Exists(own) ? PlacementCause::kNoKernel : PlacementCause::kNoSuchDevice;
  } else {
    decision->rule = own == 0 ? PlacementRule::kDefault : PlacementRule::kRequested;
  }
  return true;
}

}  // namespace warpbeam
