# Fills a Misago forum through its own models: `django-admin shell < misago.py`. Prints one line of JSON: the posts
# made, and when they could be read.
# FILL=first makes boards, threads and posts; FILL=more adds to them; FILL=edit changes and removes.
import json, os, random, time
from datetime import timedelta
from django.contrib.auth import get_user_model
from django.db import transaction
from django.utils import timezone
from misago.acl.cache import clear_acl_cache
from misago.categories.models import Category, RoleCategoryACL
from misago.threads.checksums import update_post_checksum
from misago.threads.models import Post, Thread

random.seed(7)
words = "queue parse shard héllo 日本語 token index latency cursor retry budget ledger harbour".split()
made = []


def say():
    return " ".join(random.choices(words, k=random.randint(6, 30)))


def post(thread, user, at, text):
    new = Post.objects.create(category=thread.category, thread=thread, poster=user, poster_name=user.username, original=text, parsed=f"<p>{text}</p>", posted_on=at, updated_on=at)
    update_post_checksum(new)
    new.save(update_fields=["checksum"])
    made.append({"id": str(new.pk), "text": text, "topic": thread.pk})
    return new


def begin(board, user, at, title, text):
    thread = Thread(category=board, started_on=at, starter_name="-", starter_slug="-", last_post_on=at, last_poster_name="-", last_poster_slug="-", replies=0)
    thread.set_title(title)
    thread.save()
    thread.first_post = post(thread, user, at, text)
    thread.save(update_fields=["first_post"])
    return thread


def settle(threads):
    for thread in threads:
        thread.synchronize()
        thread.save()
    for board in Category.objects.all():
        board.synchronize()
        board.save()


def people():
    return list(get_user_model().objects.filter(username__startswith="member").order_by("pk"))


def first():
    for number in range(12):
        get_user_model().objects.create_user(f"member{number}", f"m{number}@example.com", "passw0rd")
    # Pages show a picture of each author; none is drawn here.
    get_user_model().objects.update(avatars=[{"size": size, "url": "/picture.png"} for size in (400, 200, 150, 100, 64, 50, 30)])
    users, root = people(), Category.objects.root_category()
    default = Category.objects.get(slug="first-category")
    boards = [default]
    for name in ["Boats", "Stars", "Maps", "Bread"]:
        board = Category(name=f"Board {name}", slug=f"board-{name.lower()}")
        board.insert_at(root, position="last-child", save=True)
        for acl in RoleCategoryACL.objects.filter(category=default):
            RoleCategoryACL.objects.create(category=board, role=acl.role, category_role=acl.category_role)
        boards.append(board)
    clear_acl_cache()
    start, threads = timezone.now() - timedelta(days=60), []
    for number in range(40):
        at = start + timedelta(hours=30 * number)
        board = boards[0] if number < 30 else boards[number % 5]
        thread = begin(board, users[number % 12], at, f"Thread {number} {say()[:30]}", f"{say()} {number}")
        for turn in range(64 if number == 5 else 44 if number == 30 else number % 10):
            post(thread, users[(number + turn) % 12], at + timedelta(minutes=13 * (turn + 1)), f"{say()} {number} {turn}")
        threads.append(thread)
    settle(threads)
    for own in Post.objects.exclude(pk__in=[int(it["id"]) for it in made]):
        made.append({"id": str(own.pk), "text": own.original, "topic": own.thread_id})


def more():
    users, now = people(), timezone.now()
    threads = [Thread.objects.get(pk=int(os.environ[name])) for name in ("TOPIC", "LONG_TOPIC")]
    for thread in threads:
        post(thread, users[0], now, f"one more {thread.pk} {now.timestamp()}")
    board = Category.objects.get(slug="board-boats")
    threads.append(begin(board, users[1], now, f"Thread of {now.timestamp()}", f"a new thread {now.timestamp()}"))
    settle(threads)


def edit():
    changed = Post.objects.get(pk=int(os.environ["EDITED"]))
    changed.original, changed.parsed = "second thoughts", "<p>second thoughts</p>"
    update_post_checksum(changed)
    changed.save()
    gone = Post.objects.get(pk=int(os.environ["DELETED"]))
    thread = gone.thread
    gone.delete()
    post(thread, people()[2], timezone.now(), f"the last word {timezone.now().timestamp()}")
    settle([thread])


with transaction.atomic():
    {"first": first, "more": more, "edit": edit}[os.environ["FILL"]]()
print("MADE " + json.dumps({"posts": made, "at": time.time()}))
